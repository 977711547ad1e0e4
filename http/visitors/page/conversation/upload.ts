/** Sends the bytes of one file, with its progress. */

import { AskFailed } from '../connection/connection.ts'
import type { FileKind } from '../messages/content.ts'

/**
 * Resolves to what the message says about the file. Rejects with `AskFailed`: `OFFLINE`, or the code of the refusal.
 * @param on `part` is between 0 and 1.
 */
export function upload(
  address: URL,
  file: Blob,
  { signal, progress }: { signal: AbortSignal; progress(part: number): void },
): Promise<{ file: string; type: FileKind; mime_type: string }> {
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much was sent.
    const request = new XMLHttpRequest()
    request.open('POST', address)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      try {
        const answer = JSON.parse(request.responseText)
        const { error } = answer
        if (error) reject(new AskFailed(error.code, error.message, error.retry_after_s))
        else resolve(answer)
      } catch {
        reject(new AskFailed('OFFLINE'))
      }
    }
    request.onerror = () => reject(new AskFailed('OFFLINE'))
    request.onabort = () => reject(new AskFailed('CANCELLED'))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}
