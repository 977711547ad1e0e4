/** The script of a thread that turns HTML into text. */
import { parentPort } from 'node:worker_threads'
import { htmlText } from './html_text.ts'

parentPort!.on('message', (html: string) => parentPort!.postMessage(htmlText(html)))
parentPort!.postMessage('ready')
