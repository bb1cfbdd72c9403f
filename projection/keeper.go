package projection

import (
	"context"
	"errors"
	"sync"
	"time"

	"hence/internal/fault"
	"hence/projection/folder"
)

// How long a call may wait for a look at a folder that cannot be watched, and
// how seldom such a look is taken: the pause after one that found nothing is so
// many times as long as the look.
const (
	lookWait   = 500 * time.Millisecond
	lookPauses = 4
)

// Keeper keeps a store up with the folders of its vaults while a process runs.
// It watches them; one that cannot be watched is looked at when somebody asks,
// see Look. Vaults that come into the store are kept too, those that are
// forgotten no more. Several keepers may keep one vault: they take turns by its
// lock, and what one has imported the others find done.
type Keeper struct {
	Mirror
	each    func(Vault, Report, error)
	watches func(dir string) error // an error: the folder cannot be watched
	waits   sync.WaitGroup

	mutex sync.Mutex
	kept  map[Vault]*keptVault
	said  string // the last error of reading which vaults there are
	over  bool   // nothing is begun any more
}

// keptVault is one vault of a Keeper.
type keptVault struct {
	Vault
	life context.Context
	stop context.CancelFunc

	mutex  sync.Mutex
	behind chan struct{} // closed when the import that is under way is over; nil: there is none
	looks  bool          // it is not watched
	next   time.Time     // no look before
	said   string        // the last error since something was imported
}

// Keep starts to keep every vault that the caller may see, until ctx is done. It
// calls each, from several goroutines, after every import that changed
// something, with an error of one that failed, once however often it is tried
// again, and once with ErrUnwatchable for a vault that is only looked at.
func (m Mirror) Keep(ctx context.Context, each func(Vault, Report, error)) *Keeper {
	return m.keep(ctx, each, func(dir string) error {
		if folder.OnNetwork(dir) {
			return fault.Wrap(fault.Unavailable, ErrUnwatchable, "watch %s: it is on a network, which does not tell of all changes", dir)
		}
		return nil
	})
}

func (m Mirror) keep(ctx context.Context, each func(Vault, Report, error), watches func(string) error) *Keeper {
	m.onlyKnown = true
	k := &Keeper{Mirror: m, each: each, watches: watches, kept: map[Vault]*keptVault{}}
	k.takeUp(ctx)
	k.waits.Go(func() {
		check := time.NewTicker(checkAfter)
		defer check.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-check.C:
				k.takeUp(ctx)
			}
		}
	})
	return k
}

// Wait returns when nothing is kept any more, after Keep's ctx is done.
func (k *Keeper) Wait() {
	k.mutex.Lock()
	k.over = true
	k.mutex.Unlock()
	k.waits.Wait()
}

// takeUp starts to keep the vaults that are new in the store, and stops with
// those that are in it no more.
func (k *Keeper) takeUp(ctx context.Context) {
	vaults, err := k.Vaults(ctx)
	if ctx.Err() != nil {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if err != nil {
		if k.said != err.Error() {
			k.said = err.Error()
			k.each(Vault{}, Report{}, err)
		}
		return
	}
	k.said = ""
	there := map[Vault]bool{}
	for _, v := range vaults {
		if there[v] = true; k.kept[v] != nil {
			continue
		}
		one := &keptVault{Vault: v}
		one.life, one.stop = context.WithCancel(ctx)
		one.isBehind(true)
		k.kept[v] = one
		k.waits.Go(func() { k.watchOne(one) })
	}
	for v, one := range k.kept {
		if !there[v] {
			one.stop()
			delete(k.kept, v)
		}
	}
}

// watchOne keeps one vault until its life is over, or until it turns out that it
// cannot be watched.
func (k *Keeper) watchOne(one *keptVault) {
	for {
		err := k.watches(one.Root)
		if err == nil {
			err = k.watch(one.life, one.args(), func(r Report, err error) { k.tell(one, r, err) }, one.isBehind)
		}
		switch {
		case one.life.Err() != nil, errors.Is(err, errNotInStore):
			one.isBehind(false)
			return
		case errors.Is(err, ErrUnwatchable):
			k.tell(one, Report{}, err)
			k.look(one)
			one.mutex.Lock()
			one.looks = true
			one.mutex.Unlock()
			return
		}
		k.tell(one, Report{}, err)
		one.isBehind(false)
		select {
		case <-one.life.Done():
			return
		case <-time.After(retryAfter):
		}
	}
}

// isBehind says whether an import of the vault is due or under way.
func (v *keptVault) isBehind(now bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	switch {
	case now && v.behind == nil:
		v.behind = make(chan struct{})
	case !now && v.behind != nil:
		close(v.behind)
		v.behind = nil
	}
}

func (v Vault) args() ImportArgs { return ImportArgs{Dir: v.Root, Name: v.Name} }

// tell tells of an import that changed something, and of an error that was not
// told of last.
func (k *Keeper) tell(one *keptVault, r Report, err error) {
	if err == nil && !r.HasChanged() {
		return
	}
	one.mutex.Lock()
	again := err != nil && err.Error() == one.said
	one.said = ""
	if err != nil {
		one.said = err.Error()
	}
	one.mutex.Unlock()
	if !again {
		k.each(one.Vault, r, err)
	}
}

// Look lets the store catch up with the vaults of a namespace ("" for all): it
// waits for imports that are due or under way, and looks at the sizes and times
// of the files of vaults that cannot be watched. It returns when that is done or
// ctx is, but after half a second in any case: what takes longer goes on, and is
// seen by a later call. After a look at a vault that found nothing to import
// four times as long passes before the next as it took.
func (k *Keeper) Look(ctx context.Context, namespace string) {
	enough := time.NewTimer(lookWait)
	defer enough.Stop()
	for _, done := range k.catchUp(namespace) {
		select {
		case <-done:
		case <-enough.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// catchUp starts the looks that are due, and returns what is closed when the
// vaults are caught up with.
func (k *Keeper) catchUp(namespace string) (waits []<-chan struct{}) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for v, one := range k.kept {
		if k.over || namespace != "" && v.Namespace != namespace {
			continue
		}
		one.mutex.Lock()
		due := one.looks && one.behind == nil && !time.Now().Before(one.next)
		if due {
			one.behind = make(chan struct{})
			k.waits.Go(func() { k.look(one) })
		}
		if one.behind != nil {
			waits = append(waits, one.behind)
		}
		one.mutex.Unlock()
	}
	return waits
}

// look takes in what has changed in a vault.
func (k *Keeper) look(one *keptVault) {
	start := time.Now()
	report, err := k.importFree(one.life, one.args())
	if one.life.Err() == nil && !errors.Is(err, errNotInStore) {
		k.tell(one, report, err)
	}
	one.mutex.Lock()
	if !report.HasChanged() { // who edits, goes on to edit
		one.next = time.Now().Add(lookPauses * time.Since(start))
	}
	one.mutex.Unlock()
	one.isBehind(false)
}

// importFree imports a vault unless somebody else holds its lock, who then
// brings the store up himself.
func (m Mirror) importFree(ctx context.Context, a ImportArgs) (Report, error) {
	if unlock, ok, err := folder.TryLock(a.Dir); err == nil {
		if !ok {
			return Report{}, nil
		}
		defer unlock()
	}
	// A folder that cannot be locked is not there, which the import says better.
	report, _, err := m.importAll(ctx, a)
	return report, err
}
