package problem

import "svc/shared/fault"

type kind struct {
	status int
	uri    string
	title  string
}

// kinds is the one table from code to HTTP status. A code that is missing here answers as INTERNAL; a test
// holds the table against fault.Codes.
var kinds = map[fault.Code]kind{
	fault.ValidationFailed:         {400, "validation-failed", "The request is not valid"},
	fault.AuthenticationRequired:   {401, "authentication-required", "A valid credential is required"},
	fault.PlanLimitReached:         {402, "plan-limit-reached", "The plan does not allow more of this"},
	fault.Forbidden:                {403, "forbidden", "The credential does not allow this"},
	fault.ReauthenticationRequired: {403, "reauthentication-required", "A fresh proof of identity is required"},
	fault.NotFound:                 {404, "not-found", "There is no such resource"},
	fault.MethodNotAllowed:         {405, "method-not-allowed", "The resource does not take this method"},
	fault.Conflict:                 {409, "conflict", "The state of the resource does not allow this"},
	fault.StaleRevision:            {409, "stale-revision", "The resource has changed since"},
	fault.SchemaChangeDestructive:  {409, "schema-change-destructive", "The schema change would destroy content"},
	fault.ApprovalRequired:         {409, "approval-required", "Approvals are missing"},
	fault.ChecksFailed:             {409, "checks-failed", "Checks are missing or have failed"},
	fault.PayloadTooLarge:          {413, "payload-too-large", "The body is too large"},
	fault.UnsupportedMediaType:     {415, "unsupported-media-type", "The body has a type that is not taken here"},
	fault.PublishValidationFailed:  {422, "publish-validation-failed", "The change set does not validate"},
	fault.RateLimited:              {429, "rate-limited", "Too many requests"},
	fault.Internal:                 {500, "internal", "An internal error occurred"},
	fault.Unavailable:              {503, "unavailable", "The service cannot answer at the moment"},
}

func kindOf(code fault.Code) (fault.Code, kind) {
	if k, ok := kinds[code]; ok {
		return code, k
	}
	return fault.Internal, kinds[fault.Internal]
}

// Status returns the HTTP status of a code; 500 for one that is none.
func Status(code fault.Code) int {
	_, k := kindOf(code)
	return k.status
}
