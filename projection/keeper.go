package projection

import (
	"context"
	"errors"
	"sync"
	"time"

	"hence/internal/fault"
	"hence/projection/folder"
)

// lookWait is how long a call waits for the scan of a folder that cannot be watched. After
// a scan that found nothing, the pause is lookPauses times as long as the scan took.
const (
	lookWait   = 500 * time.Millisecond
	lookPauses = 4
)

// Keeper keeps a store up to date with the folders of its vaults while a process runs. It
// watches them, and scans one that cannot be watched when a caller asks (see Look). It
// takes up vaults that are added to the store, and drops forgotten ones. Several keepers
// may keep one vault: they take turns by its lock, and one imports for all.
type Keeper struct {
	Mirror
	each    func(Vault, Report, error)
	watches func(dir string) error // fails if the folder cannot be watched
	waits   sync.WaitGroup

	mutex  sync.Mutex
	vaults map[Vault]*keptVault
	last   lastError // in reading the list of vaults
	over   bool      // Wait was called: no new work starts
}

// keptVault is one vault of a Keeper.
type keptVault struct {
	Vault
	life context.Context
	stop context.CancelFunc

	mutex  sync.Mutex
	behind chan struct{} // closed when the import that is due or under way ends; nil: none is
	looks  bool          // the folder is scanned on request, not watched
	next   time.Time     // the next scan is not before
	last   lastError     // since the last successful import
}

// Keep starts to keep every vault that the caller may see, until ctx is done. It calls
// each, from several goroutines: after every import that changed something; with the error
// of a failed import, once for all retries; and once with ErrUnwatchable for a vault that
// is only scanned on request.
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
	k := &Keeper{Mirror: m, each: each, watches: watches, vaults: map[Vault]*keptVault{}}
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

// Wait waits for all work to end, after Keep's ctx is done.
func (k *Keeper) Wait() {
	k.mutex.Lock()
	k.over = true
	k.mutex.Unlock()
	k.waits.Wait()
}

// takeUp starts to keep the vaults that are new in the store, and stops keeping those that
// it no longer has.
func (k *Keeper) takeUp(ctx context.Context) {
	vaults, err := k.Vaults(ctx)
	if ctx.Err() != nil {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.last.isNew(err) {
		k.each(Vault{}, Report{}, err)
	}
	if err != nil {
		return
	}
	there := map[Vault]bool{}
	for _, v := range vaults {
		if there[v] = true; k.vaults[v] != nil || !v.Here {
			continue
		}
		one := &keptVault{Vault: v}
		one.life, one.stop = context.WithCancel(ctx)
		one.setBehind(true)
		k.vaults[v] = one
		k.waits.Go(func() { k.watchOne(one) })
	}
	for v, one := range k.vaults {
		if !there[v] {
			one.stop()
			delete(k.vaults, v)
		}
	}
}

// watchOne watches one vault until its life context is done, the vault is gone from the
// store, or the folder turns out to be unwatchable.
func (k *Keeper) watchOne(one *keptVault) {
	for {
		err := k.watches(one.Root)
		if err == nil {
			err = k.watch(one.life, one.target(), func(r Report, err error) { k.tell(one, r, err) }, one.setBehind)
		}
		switch {
		case one.life.Err() != nil, errors.Is(err, errNotInStore):
			one.setBehind(false)
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
		one.setBehind(false)
		select {
		case <-one.life.Done():
			return
		case <-time.After(retryAfter):
		}
	}
}

// setBehind records whether an import of the vault is due or under way.
func (v *keptVault) setBehind(now bool) {
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

// tell calls each for an import that changed something, and for an error that differs from
// the last one.
func (k *Keeper) tell(one *keptVault, r Report, err error) {
	if err == nil && !r.HasChanged() {
		return
	}
	one.mutex.Lock()
	isNew := one.last.isNew(err)
	one.mutex.Unlock()
	if isNew || err == nil {
		k.each(one.Vault, r, err)
	}
}

// Look lets the store catch up with the vaults of a namespace ("" for all). It waits for
// imports that are due or under way, and imports the vaults that cannot be watched, by the
// sizes and times of their files. It returns when all are done, when ctx is done, or after
// half a second; the imports then continue in the background. After one that found
// nothing, a vault is not scanned again for four times as long as it took.
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

// catchUp starts the scans that are due. It returns the channels of the vaults that are
// behind; each is closed when its vault is up to date.
func (k *Keeper) catchUp(namespace string) (waits []<-chan struct{}) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for v, one := range k.vaults {
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

// look imports the changes of a vault that is not watched.
func (k *Keeper) look(one *keptVault) {
	start := time.Now()
	report, err := k.importFree(one.life, one.target())
	if one.life.Err() == nil && !errors.Is(err, errNotInStore) {
		k.tell(one, report, err)
	}
	one.mutex.Lock()
	if !report.HasChanged() { // after a change, more are likely soon
		one.next = time.Now().Add(lookPauses * time.Since(start))
	}
	one.mutex.Unlock()
	one.setBehind(false)
}

// importFree imports a vault unless another writer holds its lock; that one brings the
// store up to date.
func (m Mirror) importFree(ctx context.Context, t target) (Report, error) {
	if unlock, ok, err := folder.TryLock(t.dir); err == nil {
		if !ok {
			return Report{}, nil
		}
		defer unlock()
	}
	// If the folder cannot be locked it is missing, and the import reports that better.
	report, _, err := m.importAll(ctx, t)
	return report, err
}
