import { asset, block, blocks, item, list, text } from "svc/schema";

asset({ allowed: ["image/*", "application/pdf"] });
// @ts-expect-error: nothing is allowed
asset({ allowed: [] });
// @ts-expect-error: no MIME family
asset({ allowed: ["image"] });
// @ts-expect-error: a list of families
asset({ allowed: "image/*" });
list({ of: item.asset({ allowed: ["video/mp4"] }) });
// @ts-expect-error: nothing is allowed
list({ of: item.asset({ allowed: [] }) });
blocks({ allowed: [block({ key: "quote", fields: { text: text() } })] });
// @ts-expect-error: nothing is allowed
blocks({ allowed: [] });
// @ts-expect-error: a field is no block
blocks({ allowed: [text()] });
// @ts-expect-error: a block has a key
block({ fields: { text: text() } });
// @ts-expect-error: a block has fields
block({ key: "quote" });
