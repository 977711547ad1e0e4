/** The script of the thread that parses a mail. An error of the parser ends the thread. */
import { parentPort } from 'node:worker_threads'
import { parseMail } from './parse_mail.ts'

/** `system`: the name of the mail system in its verdicts on senders. */
export type MailJob = { bytes: Uint8Array; id: string; system?: string | undefined }

parentPort!.on('message', async ({ bytes, id, system }: MailJob) => {
  parentPort!.postMessage(await parseMail(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), id, system))
})
parentPort!.postMessage('ready')
