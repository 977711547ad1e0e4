export { addRetentionCommands } from './retention.ts'
