package nodetest

// Pause panics: Windows has no signal that stops a process.
func (n *Node) Pause() { panic("nodetest: a node cannot be paused on Windows") }

// Resume panics, as Pause does.
func (n *Node) Resume() { panic("nodetest: a node cannot be paused on Windows") }
