package read

import (
	"context"
	"errors"
	"strconv"
	"time"

	"svc/shared/fault"
	"svc/shared/query"
)

// pin is the release that is read: the one that the parameter at came to mean, or without it the one that the project is
// pinned to for everybody, which then stands for the newest in all respects. An answer from there can change, so it is
// cached like one from the head, and cursors made there go on when the project is unpinned.
type pin struct {
	release uint64 // 0 reads the head
	given   bool   // there was a parameter
	moving  bool   // the same time may still come to mean a later release
	before  bool   // before the first release there is nothing
}

// newest is what reads without a parameter at answer.
func (x *exchange) newest() uint64 {
	if pinned := x.pinned(); pinned != 0 {
		return pinned
	}
	return x.view.Head().Number
}

// pinned is the release that the project is pinned to for everybody but those who preview what comes after the newest; 0 is none.
func (x *exchange) pinned() uint64 {
	if x.preview {
		return 0
	}
	return x.project.Pinned
}

// walked is the pin that cursors are bound to.
func (x *exchange) walked() uint64 {
	if x.pin.given {
		return x.pin.release
	}
	return 0
}

// fresh is the step of the header svc-min-release: a reader that has seen a release gets nothing older. It is about what
// this node holds. Where an operator pinned the project to an older release, a node that holds the wanted one knows of
// the pin as well as any, and the pinned release is the answer, as svc-release says: readers that saw the releases which
// are held back would be turned away for as long as the pin lasts.
func (x *exchange) fresh() error {
	if x.req.MinRelease == nil {
		return nil
	}
	text := *x.req.MinRelease
	want, err := strconv.ParseUint(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fault.Invalid("svc-min-release", "must be a release number")
	}
	head := x.view.Head().Number
	switch {
	case want <= head:
		return nil
	case x.atCore():
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "svc-min-release: release " + text + " has not been published; " + newestIs(head),
		}
	}
	return &behindError{release: want}
}

func (x *exchange) resolvePin(ctx context.Context) error {
	var err error
	switch x.query.At.Kind {
	case query.AtRelease:
		err = x.pinRelease(ctx, x.query.At)
	case query.AtTime:
		err = x.pinTime(ctx, x.query.At.Time)
	default:
		x.pin.release = x.pinned()
		return nil
	}
	if err == nil {
		x.pin.given, x.release = true, x.pin.release
	}
	return err
}

func (x *exchange) pinRelease(ctx context.Context, at query.At) error {
	head := x.view.Head().Number
	if at.Release < 1 {
		return unknownRelease(at, head)
	}
	x.pin = pin{release: uint64(at.Release)}
	if x.pin.release > head {
		if x.atCore() {
			return unknownRelease(at, head)
		}
		return &behindError{release: x.pin.release}
	}
	_, held, err := x.view.Release(ctx, x.pin.release)
	switch {
	case err != nil:
		return fault.Wrap(err, "reading a release")
	case held:
		return nil
	case x.atCore():
		return unknownRelease(at, head)
	}
	return errForward
}

// clockSlack is how far the clocks of nodes may differ from the database's, which release times come from. On a node whose
// clock is behind, the time of a release that was just published lies ahead; it is a time to come only where no such
// difference explains it.
const clockSlack = 5 * time.Minute

// pinTime resolves a time. One that may be past and is not settled is for core to answer, which looks once more; one that
// surely lies in the future means the newest release for now.
func (x *exchange) pinTime(ctx context.Context, t time.Time) error {
	release, settled, err := x.view.ReleaseAt(ctx, t)
	if err != nil {
		return fault.Wrap(err, "resolving a time")
	}
	if !settled && !t.After(x.Now().Add(clockSlack)) {
		if !x.atCore() {
			return errForward
		}
		if !x.reopened {
			return &behindError{}
		}
	}
	x.pin = pin{release: release.Number, moving: !settled, before: release.Number == 0}
	return nil
}

func unknownRelease(at query.At, head uint64) error {
	return fault.Invalid("at", "there is no release %s; %s", at.Text, newestIs(head))
}

func newestIs(head uint64) string {
	if head == 0 {
		return "nothing has been published yet"
	}
	return "the newest is release " + strconv.FormatUint(head, 10)
}
