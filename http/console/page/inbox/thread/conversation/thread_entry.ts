export type EntryKind = 'message' | 'note' | 'event'

export type Entry = { kind: EntryKind; id: string; at: string }
