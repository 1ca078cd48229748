import { item, text } from "svc/schema";

text({ enum: ["low", "high"], default: "low" });
// @ts-expect-error: not one of them
text({ enum: ["low", "high"], default: "middle" });
// @ts-expect-error: none is allowed
text({ enum: [] });
// @ts-expect-error: the values are strings
text({ enum: [1, 2] });
const levels = ["low", "high"] as const;
text({ enum: levels, default: "high" });
// @ts-expect-error: not one of them
text({ enum: levels, default: "height" });
item.text({ enum: ["low"] });
// @ts-expect-error: none is allowed
item.text({ enum: [] });
