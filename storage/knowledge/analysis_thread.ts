/** The script of a thread that finds the words and the language of documents. It imports no ORM. */
import { parentPort } from 'node:worker_threads'
import { eld } from 'eld/extrasmall'
import { analyse, type DocumentText, languageSample } from './analysis.ts'
import { isKnowledgeLanguage } from './languages.ts'

/** Letters that a text needs for a judgement about its language. */
const MIN_LETTERS = 24

function detect(text: DocumentText): string | null {
  const sample = languageSample(text)
  if ((sample.match(/\p{L}/gu) ?? []).length < MIN_LETTERS) return null
  const found = eld.detect(sample)
  return found.isReliable() && isKnowledgeLanguage(found.language) ? found.language : null
}

parentPort!.on('message', (text: DocumentText) =>
  parentPort!.postMessage({ analysis: analyse(text), detected: detect(text) }),
)
parentPort!.postMessage('ready')
