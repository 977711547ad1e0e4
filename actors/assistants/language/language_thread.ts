/** The script of a thread that tells languages. The data of the detector take 80 MiB and half a second. */
import { parentPort } from 'node:worker_threads'
import { eld } from 'eld/extrasmall'
import { JUDGED, type Spoken } from './spoken.ts'

parentPort!.on('message', (text: string) => parentPort!.postMessage(spokenIn(text)))
parentPort!.postMessage('ready')

/** Other languages are no verdict: they are mistaken for each other. */
function spokenIn(text: string): Spoken | null {
  const found = eld.detect(text)
  if (!found.isReliable() || !JUDGED.has(found.language)) return null
  const scores = Object.entries(found.getScores()).filter(([code]) => JUDGED.has(code))
  return { language: found.language, scores: Object.fromEntries(scores) }
}
