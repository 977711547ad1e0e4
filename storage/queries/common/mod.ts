export type { CountedPage, Page, PageOptions, Window } from './keyset.ts'
export { MOMENT_PLACE } from './moment_place.ts'
export { phoneIn } from './phone_text.ts'
export { listRecords, type RecordFilter } from './record_list.ts'
