export type Query = Record<string, string | number | boolean | null | undefined>
