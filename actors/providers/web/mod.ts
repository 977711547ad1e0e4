/** The web chat: visitors of a page, over sockets of ours. */
export { contentOf, contextOf, type VisitorCall, visitorRef } from './hook.ts'
export { Web } from './provider.ts'
export { newVisitor, readVisitorToken } from './token.ts'
export { readVisitorInput } from './visitor_input.ts'
export { refOf, uploadsIn, type VisitorMessage, type VisitorNote, withLinks } from './visitor_message.ts'
