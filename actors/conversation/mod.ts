export { conversationActor } from './actor.ts'
export type { AssistantAtWork, Seen, Thought, ToolsQuestion, ToolsRun, TurnQuestion } from './assistant_at_work.ts'
export { isSteady, type Waits, waits as conversationWaits } from './pace.ts'
export type { AssistantConcluded, Conclusion, ConversationProtocol, Place } from './protocol.ts'
