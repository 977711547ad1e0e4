export { erasureActor } from './erasure_actor.ts'
export { type ExportProtocol, exportActor } from './export_actor.ts'
export { type EraseMessage, type ErasureAsk, type ErasureProtocol, tellSettled } from './protocol.ts'
