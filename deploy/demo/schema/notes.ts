import { collection, datetime, markdown, reference, slug, text } from "svc/schema";

export default collection({
  name: "notes",
  label: "Planning notes",
  titleField: "title",
  guidance: "For the desks only. Readers never see these, so write what you mean.",
  fields: {
    title: text({ label: "Title", required: true, maxLength: 80 }),
    slug: slug({ label: "Address", from: "title", required: true }),
    status: text({ label: "Status", enum: ["idea", "in-progress", "done"], default: "idea" }),
    body: markdown({ label: "Note" }),
    about: reference({ label: "About", to: "articles", multiple: true }),
    dueAt: datetime({ label: "Due" }),
  },
});
