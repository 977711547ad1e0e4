/** Two short tones for a new message, made by WebAudio. Silent until the visitor has used the chat, and when muted. */
import type { Memory } from '../messages/memory.ts'

const NOTES_HZ = [660, 880]
const NOTE_S = 0.12
const LOUDNESS = 0.08

export class Sound {
  #memory
  #context: AudioContext | undefined

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /** The visitor has used the chat; browsers play no sound before. */
  allow() {
    if (typeof AudioContext === 'function') this.#context ??= new AudioContext()
  }

  get is_muted() {
    return this.#memory.is_muted
  }

  mute(is_muted = !this.#memory.is_muted) {
    this.#memory.is_muted = is_muted
  }

  play() {
    const context = this.#context
    if (!context || this.is_muted) return
    void context.resume()
    for (const [index, hertz] of NOTES_HZ.entries()) {
      const begin = context.currentTime + index * NOTE_S
      const tone = new OscillatorNode(context, { frequency: hertz })
      const volume = new GainNode(context, { gain: LOUDNESS })
      volume.gain.setValueAtTime(LOUDNESS, begin)
      volume.gain.exponentialRampToValueAtTime(0.001, begin + NOTE_S)
      tone.connect(volume).connect(context.destination)
      tone.start(begin)
      tone.stop(begin + NOTE_S)
    }
  }
}
