import { object, text } from "svc/schema";

/** A field that several collections can share: what search engines show. */
export const seo = object({
  label: "Search engines",
  localized: true,
  fields: {
    title: text({ label: "Page title", maxLength: 70 }),
    description: text({ label: "Description", maxLength: 160 }),
  },
});
