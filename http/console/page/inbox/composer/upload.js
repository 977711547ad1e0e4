/** An upload that tells its progress, which `fetch` cannot. */
import { ApiError } from '../../data/api.js'

/**
 * @param {string} address
 * @param {FormData} form
 * @param {{ key: string, signal: AbortSignal, onProgress(progress: number): void }} options
 * @returns {Promise<{ media_id: string, mime_type: string }>}
 * @throws {ApiError}
 */
export function uploadFile(address, form, { key, signal, onProgress }) {
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
