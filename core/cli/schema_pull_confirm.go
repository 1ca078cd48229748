package cli

import (
	"context"
	"slices"
	"strings"
)

// confirmPull asks before files are overwritten or removed that git does not hold as they are.
func (a *app) confirmPull(ctx context.Context, dir string, files []pulledFile, yes bool) error {
	if yes {
		return nil
	}
	lost, err := a.lost(ctx, dir, files)
	if err != nil || len(lost) == 0 {
		return err
	}
	as := "as it is"
	if len(lost) > 1 {
		as = "as they are"
	}
	what := "overwriting or removing " + strings.Join(lost, ", ") + " in " + a.shown(dir) + ", which git does not hold " + as + ","
	if err := a.someoneToAsk(what); err != nil {
		return err
	}
	return a.confirm(ctx, "Go on with "+strings.TrimSuffix(what, ",")+"?")
}

// lost names the files whose text would be nowhere after a pull. Where there is no repository, or none that git opens,
// nothing is kept.
func (a *app) lost(ctx context.Context, dir string, files []pulledFile) ([]string, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(f pulledFile) bool { return f.Outcome != fileUpdated && f.Outcome != fileRemoved })
	if len(files) == 0 {
		return nil, nil
	}
	r, err := a.repositoryOf(ctx, dir)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all := err != nil // whatever git says, the files are asked about
	var unkept []string
	for _, f := range files {
		kept := false
		if !all {
			kept, err = r.keeps(ctx, f)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || !kept {
			unkept = append(unkept, f.File)
		}
	}
	return unkept, nil
}
