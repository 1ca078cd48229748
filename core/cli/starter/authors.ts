import { asset, collection, markdown, slug, text } from "svc/schema";

/** The people who write. Posts refer to them. */
export default collection({
  name: "authors",
  label: "Authors",
  visibility: "public",
  titleField: "name",
  fields: {
    name: text({ label: "Name", required: true, maxLength: 80 }),
    slug: slug({ label: "Address", from: "name" }),
    bio: markdown({ label: "About", localized: true, maxLength: 600 }),
    portrait: asset({ label: "Portrait", allowed: ["image/*"] }),
  },
});
