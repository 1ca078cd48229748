package postgres

// Advisory locks of the service, apart from those that libraries take. Rows are locked in one order everywhere:
// change set, project (shared by publishes and entry writes, exclusive for schema pushes and settings), entries by
// id, assets by id, release_head, log_head. Under release_head a publish reads what it has to know of entries that it
// does not lock: only a release changes what is published.
const (
	// SettleFence is held shared from the moment a release takes its time until it commits. Whoever holds it alone
	// for an instant knows that no release with an earlier time is still to come.
	SettleFence int64 = 0x737663_0001
	// BootstrapLock lets one program at a time make the first organization.
	BootstrapLock int64 = 0x737663_0002
)
