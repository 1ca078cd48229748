// Values of every field type: those that are right, and those that must not compile.
import type * as t from "./all";

const ent = "ent_01h455vb4pex5vsknk084sn02q";
const ast = "ast_01h455vb4pex5vsknk084sn02q";
const required = { text: "x", localizedRequired: { en: "x" }, references: [ent] } as const;

function draft(value: Partial<t.AllDraft>): void {}
function fields(value: Partial<t.AllFields>): void {}
function resolved(value: Partial<t.AllResolved>): void {}

// What a write must bring, and what it may leave out or clear.
const least: t.AllDraft = { text: "x", localizedRequired: { en: "x" }, references: [] };
const cleared: t.AllDraft = { ...least, number: null, rows: null, slug: null, blocks: null, localized: null };
// @ts-expect-error
const lacking: t.AllDraft = { text: "x", localizedRequired: { en: "x" } };
// @ts-expect-error
draft({ localized: "x" });
// @ts-expect-error
draft({ localizedRequired: "x" });
// @ts-expect-error
draft({ text: null });
// @ts-expect-error
draft({ unknown: 1 });
// @ts-expect-error
draft({ number: "1" });
// @ts-expect-error
draft({ boolean: "true" });
// @ts-expect-error
draft({ date: 20260228 });
// @ts-expect-error
draft({ datetime: new Date() });
draft({ enum: "two | three" });
// @ts-expect-error
draft({ enum: "two" });
draft({ json: { any: ["thing", null, { at: 1.5 }] } });
// @ts-expect-error
draft({ json: undefined as unknown });
draft({ asset: ast, assets: [ast, ast], reference: ent, references: [ent] });
// @ts-expect-error
draft({ asset: ent });
// @ts-expect-error
draft({ assets: ast });
// @ts-expect-error
draft({ reference: ast });
// @ts-expect-error
draft({ references: ent });

// Localized fields are written as a map, or as the value of the default locale alone.
draft({ localized: { en: "x", de: null }, localizedRequired: { en: "x", de: "y" }, localizedReference: { de: ent } });
// @ts-expect-error
draft({ localized: { fr: "x" } });
// @ts-expect-error
draft({ localizedRequired: { de: "x" } });
// @ts-expect-error
draft({ text: { en: "x" } });

// Lists.
draft({ texts: ["a", "b"], numbers: [1], booleans: [true], dates: ["2026-02-28"], datetimes: ["2026-02-28T00:00:00Z"] });
draft({ markdowns: ["*x*"], jsons: [null, {}, 1], entries: [ent], files: [ast] });
// @ts-expect-error
draft({ texts: ["c"] });
// @ts-expect-error
draft({ numbers: [null] });
// @ts-expect-error
draft({ entries: [ast] });
draft({ rows: [{ cell: "x" }, { cell: "y", deep: { deeper: [{ end: 1 }, {}] } }] });
// @ts-expect-error
draft({ rows: [{}] });
// @ts-expect-error
draft({ rows: [{ cell: "x", deep: { deeper: [{ end: "1" }] } }] });

// Objects, trees and blocks.
draft({ object: { a: "x", b: null } });
// @ts-expect-error
draft({ object: { b: 1 } });
// @ts-expect-error
draft({ object: { a: "x", c: 1 } });
draft({
  richText: {
    type: "doc",
    content: [
      { type: "heading", attrs: { level: 2 }, content: [{ type: "text", text: "x", marks: [{ type: "link", attrs: { href: "/" } }] }] },
      { type: "image", attrs: { asset: ast, alt: "x", size: { w: 1 } } },
      { type: "mention", attrs: { entry: ent } },
    ],
  },
});
// @ts-expect-error
draft({ richText: { type: "paragraph", content: [] } });
// @ts-expect-error
draft({ richText: { type: "doc", content: [{ type: "heading", attrs: { level: 7 } }] } });
// @ts-expect-error
draft({ richText: { type: "doc", content: [{ type: "image", attrs: { asset: "x" } }] } });
draft({ blocks: [{ type: "quote", fields: { text: "x", by: ent } }, { type: "picture", fields: { image: ast } }, { type: "rule", fields: {} }] });
// @ts-expect-error
draft({ blocks: [{ type: "video", fields: {} }] });
// @ts-expect-error
draft({ blocks: [{ type: "picture", fields: { text: "x" } }] });
// @ts-expect-error
draft({ blocks: [{ type: "picture", fields: {} }] });

// Reads: nothing is null but what a locale lacks.
// @ts-expect-error
fields({ number: null });
fields({ localized: { de: "x" } });
// @ts-expect-error
fields({ localized: "x" });
resolved({ localized: null, localizedRequired: "x" });
// @ts-expect-error
resolved({ localized: { de: "x" } });
const read: t.AllFields = { text: "x", localizedRequired: { en: "x" }, references: [] };
// @ts-expect-error
const unresolved: t.AllResolved = { text: "x", localizedRequired: "x", references: [] };
const text: string = read.text;
// @ts-expect-error
const maybe: string = read.markdown;
// @ts-expect-error
const stored: number = read.withDefault;

function blockOf(block: t.AllBlocks): string | undefined {
  switch (block.type) {
    case "quote":
      return block.fields.text;
    case "picture":
      return block.fields.image;
    case "rule":
      // @ts-expect-error
      return block.fields.text;
  }
}

// The envelope, and references in place of which their entries are included.
const meta = { revision: "rev_01h455vb4pex5vsknk084sn02q", publishedAt: "2026-02-28T00:00:00.000Z" } as const;
const plain: t.IncludedEntry<null, t.PlainFields> = { id: ent, slug: null, fields: { name: "x" } };
const list: t.ListResponse<t.AllEntry> = {
  data: [{ id: ent, collection: "all", slug: "x", fields: { ...read, reference: ent }, meta }],
  pagination: { nextCursor: null },
};
const included: t.SingleResponse<t.AllEntry<"reference" | "references">> = {
  data: {
    id: ent,
    collection: "all",
    slug: null,
    fields: { ...read, references: [plain], reference: { id: ent, slug: "y", fields: read } },
    meta,
  },
};
const gone: t.AllResolvedEntry<"localizedReference">["fields"]["localizedReference"] = null;
// @ts-expect-error
const ids: t.AllEntry<"references">["fields"]["references"] = [ent];
// @ts-expect-error
const notIncluded: t.AllEntry["fields"]["references"] = [plain];
// @ts-expect-error
type NoReference = t.AllEntry<"text">;
// @ts-expect-error
const otherCollection: t.AllEntry["collection"] = "plain";
// @ts-expect-error
const slugOfPlain: t.PlainEntry["slug"] = "x";

// Bodies, and the way from a key to its types.
const create: t.CreateBody<t.AllDraft> = { data: least, slug: "x" };
const patch: t.PatchBody<t.AllDraft> = { data: { text: "y", number: null } };
const byKey: t.Collections["all"]["draft"] = least;
