import { collection, item, list, text } from "svc/schema";

export default collection({
  name: "plain",
  fields: { title: text({ label: "Title" }), tags: list({ of: item.text({ maxLength: 9 }) }) },
});
