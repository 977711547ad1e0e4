/** Texts of the search in the command palette. No DOM. */

export const words = {
  more: 'Show more results',
  search: 'Search',
  nameless: 'Somebody without a name',
  gone: 'The ticket of this message is gone',
  missing: 'This message is not in the thread any more',
}
