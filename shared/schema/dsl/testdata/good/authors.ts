import { collection, slug, text } from "svc/schema";
import { seo } from "./parts/seo.js";

export default collection({
  name: "authors",
  titleField: "name",
  fields: { name: text({ required: true }), slug: slug(), seo },
});
