/** A thread that does whatever job it gets. */
import { parentPort } from 'node:worker_threads'

let jobs = 0

parentPort!.on('message', (word: string) => {
  jobs += 1
  if (word === 'hang') for (;;);
  if (word === 'backtrack') /^(a+)+$/.test(`${'a'.repeat(50)}!`)
  if (word === 'throw') throw new Error('as told')
  if (word === 'reject') void Promise.reject(new Error('as told'))
  else if (word === 'exit') process.exit()
  else if (word === 'eat') for (const all: string[][] = []; ; ) all.push(new Array(100_000).fill(word))
  else parentPort!.postMessage(`${word} ${jobs}`)
})
parentPort!.postMessage('ready')
