import { asset, object, text } from "svc/schema";

// A field that collections share. An export that is no collection is left alone.
export const seo = object({
  label: "Search engines",
  localized: true,
  fields: { title: text({ maxLength: 70 }), image: asset({ allowed: ["image/*"] }) },
});
