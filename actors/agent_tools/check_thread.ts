/** The script of a thread that checks the patterns of tools and the arguments of their calls. */
import { parentPort } from 'node:worker_threads'
import { type ArgumentsQuestion, checkArguments } from './arguments.ts'
import { checkPatterns, type PatternsQuestion } from './patterns.ts'

export type Question = ArgumentsQuestion | PatternsQuestion

parentPort!.on('message', (question: Question) =>
  parentPort!.postMessage('patterns' in question ? checkPatterns(question) : checkArguments(question)),
)
parentPort!.postMessage('ready')
