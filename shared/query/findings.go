package query

import (
	"strings"

	"svc/shared/fault"
)

// maxFindings bounds what one answer lists.
const maxFindings = 20

// findings are what is wrong with the parameters of a request.
type findings []fault.Item

func (f *findings) add(name, format string, args ...any) {
	if len(*f) < maxFindings {
		*f = append(*f, fault.Invalid(name, format, args...).Items...)
	}
}

func (f findings) err() error {
	if len(f) == 0 {
		return nil
	}
	details := make([]string, len(f))
	for i, item := range f {
		details[i] = item.Path + ": " + item.Message
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: strings.Join(details, "; "), Items: f}
}
