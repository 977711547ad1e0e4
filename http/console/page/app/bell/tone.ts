/** A short tone, for news and as a sample. */

const TONE_HZ = 660
const TONE_S = 0.18
const TONE_VOLUME = 0.08
/** Tones are at least this far apart, in all tabs of the browser together. */
const QUIET_MS = 3_000

let toned_at = 0

export function tone() {
  if (!navigator.locks) return void (Date.now() - toned_at > QUIET_MS && play())
  void navigator.locks.request('parley console tone', { ifAvailable: true }, async (lock) => {
    if (!lock) return
    play()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  })
}

export function play() {
  toned_at = Date.now()
  const audio = new AudioContext()
  const volume = audio.createGain()
  volume.gain.setValueAtTime(TONE_VOLUME, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + TONE_S)
  const wave = audio.createOscillator()
  wave.frequency.value = TONE_HZ
  wave.connect(volume).connect(audio.destination)
  wave.onended = () => void audio.close()
  wave.start()
  wave.stop(audio.currentTime + TONE_S)
}
