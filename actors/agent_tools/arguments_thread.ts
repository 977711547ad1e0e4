/** The script of a thread that checks the arguments of tool calls. */
import { parentPort } from 'node:worker_threads'
import { type ArgumentsQuestion, checkArguments } from './arguments.ts'

parentPort!.on('message', (question: ArgumentsQuestion) => parentPort!.postMessage(checkArguments(question)))
parentPort!.postMessage('ready')
