import { reference, singleton, text } from "svc/schema";

/** What there is one of: the name of the site, and what its front page leads with. */
export default singleton({
  name: "site",
  label: "Site",
  visibility: "public",
  fields: {
    name: text({ label: "Name", required: true, localized: true, maxLength: 60 }),
    claim: text({ label: "Claim", localized: true, maxLength: 120 }),
    lead: reference({ label: "Lead post", to: "posts" }),
  },
});
