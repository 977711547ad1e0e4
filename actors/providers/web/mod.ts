/** The web chat: visitors of a page, over sockets of ours. */
export { contentOf, contextOf, type VisitorCall, type VisitorFile, visitorRef } from './hook.ts'
export { type IdentityClaims, readIdentity } from './identity.ts'
export { isListed, originsIn } from './origins.ts'
export { Web } from './provider.ts'
export { newVisitorId, newVisitorToken, openNote, readVisitorToken, sealNote, type VisitorToken } from './token.ts'
export { readVisitorBrowser } from './visitor_browser.ts'
export {
  answerForVisitors,
  hearVisitors,
  hearVisitorTyping,
  tellVisitor,
  tellVisitorTyping,
  type VisitorAgent,
  VisitorQuestions,
  type VisitorSign,
} from './visitor_bus.ts'
export { readVisitorInput, type VisitorInput } from './visitor_input.ts'
export { refOf, sourcesIn, uploadsIn, type VisitorMessage, type VisitorNote, withLinks } from './visitor_message.ts'
