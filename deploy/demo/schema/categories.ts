import { collection, slug, text } from "svc/schema";

export default collection({
  name: "categories",
  label: "Categories",
  visibility: "public",
  titleField: "name",
  path: "/categories/{slug}",
  guidance: "Categories cut across the desks. Six are plenty; a seventh has to replace one.",
  fields: {
    name: text({ label: "Name", required: true, localized: true, maxLength: 40 }),
    slug: slug({ label: "Address", from: "name", required: true }),
    description: text({ label: "Description", localized: true, multiline: true, maxLength: 200 }),
  },
});
