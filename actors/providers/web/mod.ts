/** The web chat: visitors of a page, over sockets of ours. */
export { contentOf, contextOf, type VisitorCall, visitorRef } from './hook.ts'
export { Web } from './provider.ts'
export { readSaid } from './said.ts'
export { newVisitor, readVisitorToken } from './token.ts'
export { refOf, uploadsIn, type VisitorMessage, type VisitorNote, withLinks } from './visitor_message.ts'
