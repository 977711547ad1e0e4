/** The script of the thread that parses a mail. An error of the parser ends the thread. */
import { parentPort } from 'node:worker_threads'
import { parseMail } from './parse_mail.ts'

export type MailJob = { bytes: Uint8Array; id: string }

parentPort!.on('message', async ({ bytes, id }: MailJob) => {
  parentPort!.postMessage(await parseMail(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), id))
})
parentPort!.postMessage('ready')
