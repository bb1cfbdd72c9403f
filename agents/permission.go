package agents

import (
	"context"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/projection"
)

// Permission is what a person allows of a folder on this machine.
type Permission struct {
	Folder    string `json:"folder"`
	Root      string `json:"root"`
	Elsewhere bool   `json:"elsewhere,omitempty"` // it was not imported on this machine: nothing is allowed
	Restore   bool   `json:"restore"`             // hence undo may write its files
}

// AllowRestore sets whether an undo may write the files of a folder, or of all that were imported here for "". It
// returns what is allowed then. It fails with not_found, and with unavailable for a folder from elsewhere.
func (i Importer) AllowRestore(ctx context.Context, name string, allow bool) ([]Permission, error) {
	const operation = "agents"
	all, err := i.folders(ctx, operation, name)
	if err != nil {
		return nil, err
	}
	if i.DB.ReadOnly() {
		return nil, fault.New(fault.ReadOnly, "%s: the store was opened read-only", operation)
	}
	for _, v := range all {
		if !v.Here && name == "" {
			continue
		}
		if err := i.allow(ctx, operation, v, func(f *permit.Folder) { f.Restore = allow }); err != nil {
			return nil, err
		}
	}
	return i.Permissions(ctx)
}

// allow changes what is allowed of a folder.
func (i Importer) allow(ctx context.Context, operation string, v projection.Vault, change func(*permit.Folder)) error {
	if err := v.CheckHere(operation, "folder"); err != nil {
		return err
	}
	records, err := permit.Of(ctx, i.DB, i.DB)
	if err != nil {
		return err
	}
	f, err := records.Folder(v.Name)
	if err != nil {
		return err
	}
	change(&f)
	return records.Put(f)
}

// Permissions returns what is allowed of each folder that the caller may see.
func (i Importer) Permissions(ctx context.Context) (permissions []Permission, err error) {
	records, err := permit.Of(ctx, i.DB, i.DB)
	if err != nil {
		return nil, err
	}
	all, err := i.Mirror().Vaults(ctx)
	permissions = []Permission{}
	for _, v := range all {
		f, err := records.Folder(v.Name)
		if err != nil {
			return nil, err
		}
		permissions = append(permissions, Permission{v.Name, v.Root, !v.Here, v.Here && f.Restore})
	}
	return permissions, err
}

// Trust sets whether the texts of a folder count as the person's, and reads its files again. It fails with not_found,
// and with unavailable for a folder from elsewhere.
func (i Importer) Trust(ctx context.Context, name string, trusted bool) (report projection.Report, err error) {
	const operation = "trust"
	all, err := i.folders(ctx, operation, name)
	if err != nil {
		return report, err
	}
	err = i.allow(ctx, operation, all[0], func(f *permit.Folder) { f.Trusted = trusted })
	if err == nil {
		_, err = i.DB.Write(ctx, i.Caller.Actor, db.Now(), db.S(`update mirrors set extraction = 0 where name = ?`, name))
	}
	if err != nil {
		return report, err
	}
	return i.Mirror().Import(ctx, projection.ImportArgs{Dir: all[0].Root, Name: name})
}
