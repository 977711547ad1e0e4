import type { Provider } from '../channel/provider.ts'
import { WhatsAppClient } from './client.ts'
export const p: Provider = new WhatsAppClient()
