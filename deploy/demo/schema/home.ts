import { markdown, reference, singleton, text } from "svc/schema";

export default singleton({
  name: "home",
  label: "Front page",
  visibility: "public",
  titleField: "headline",
  guidance: "One lead, four picks, and no two of them from the same desk if it can be helped.",
  fields: {
    headline: text({ label: "Headline", required: true, localized: true, maxLength: 80 }),
    intro: markdown({ label: "Introduction", localized: true, maxLength: 1200 }),
    lead: reference({ label: "Lead article", to: "articles" }),
    picks: reference({ label: "Picks", to: "articles", multiple: true }),
  },
});
