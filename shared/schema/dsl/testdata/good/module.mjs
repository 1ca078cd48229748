import { collection, number } from "svc/schema";

export const measures = collection({ name: "measures", fields: { width: number({ integer: true }) } });
