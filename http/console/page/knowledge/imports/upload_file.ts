/** Sends a file with its progress, which `fetch` does not tell. */
import { ApiError } from '../../data/api.ts'

/** The document that a file becomes. */
type UploadAnswer = { _id: string; name: string }

export type SendFile = (address: string, form: FormData, onProgress: (share: number) => void) => Promise<UploadAnswer>

/**
 * Resolves to the answer. `onProgress` gets the sent share, from 0 to 1.
 *
 * @throws ApiError
 */
export const uploadFile: SendFile = (address, form, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', address)
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => lengthComputable && onProgress(loaded / total)
    request.onerror = () =>
      reject(new ApiError('OFFLINE', 'Parley cannot be reached. Check your connection and try again.'))
    request.onload = () => {
      const { status } = request
      const answer = parsed(request.responseText)
      if (status >= 200 && status < 300 && answer) return resolve(answer)
      const {
        code = 'UNKNOWN',
        message = `Parley answered with ${status} and no reason.`,
        details,
      } = answer?.error ?? {}
      const retry_after_s = Number(request.getResponseHeader('retry-after')) || undefined
      reject(new ApiError(code, message, { status, details, retry_after_s }))
    }
    request.send(form)
  })

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
