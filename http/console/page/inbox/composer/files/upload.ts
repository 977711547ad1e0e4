/** An upload that tells its progress, which `fetch` cannot. */
import { ApiError } from '../../../data/api.ts'

/** @throws ApiError */
export function uploadFile(
  address: string,
  form: FormData,
  { key, signal, onProgress }: { key: string; signal: AbortSignal; onProgress(progress: number): void },
): Promise<{ media_id: string; mime_type: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', address)
    request.setRequestHeader('idempotency-key', key)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress(loaded / total)
    request.onload = () => {
      if (request.status === 200) return resolve(request.response)
      const { code = 'UNKNOWN', message = 'The file was not taken. Try again in a moment.' } =
        request.response?.error ?? {}
      reject(new ApiError(code, message, { status: request.status }))
    }
    const unreachable = () =>
      reject(new ApiError('OFFLINE', 'The file did not arrive. Check your connection and try again.'))
    request.onerror = unreachable
    request.onabort = unreachable
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
