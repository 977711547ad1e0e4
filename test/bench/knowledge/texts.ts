/** A document of the benchmark, and a query with the documents that answer it. */
export type Text = { id: string; name: string; content: string }

export type Question = { query: string; answer: string }

export type TextSet = { texts: Text[]; questions: Question[] }
