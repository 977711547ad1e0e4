/** Emoji that are used most in support, by kind, with the words by which they are found. No DOM. */

type Emoji = { emoji: string; words: string }

const KINDS = {
  Smileys: `😀 grinning happy smile
😃 smile happy open mouth
😄 smile happy laughing eyes
😁 beaming grin teeth
😅 sweat relief phew
😂 tears of joy laughing lol
🙂 slight smile
😉 wink
😊 blush smile pleased
😍 heart eyes love
😘 kiss love
😎 sunglasses cool
🤗 hug thanks
🤔 thinking hmm
🙄 rolling eyes
😐 neutral
😕 confused
🙁 frown sad
😢 crying sad tear
😭 sobbing crying loudly
😡 angry red
😱 scream shock
😴 sleeping tired
🤒 ill sick thermometer`,
  Hands: `👍 thumbs up yes good like
👎 thumbs down no bad
👌 ok perfect
👏 clapping applause
🙌 raised hands hooray
🙏 please thanks pray folded
💪 strong muscle arm
👋 wave hello bye
🤝 handshake deal agreement
✌️ victory peace two
🤞 crossed fingers luck
👉 right pointing
👆 up pointing
👇 down pointing
☝️ one index up
✋ stop hand raised`,
  Signs: `❤️ red heart love
💙 blue heart
💚 green heart
💛 yellow heart
🧡 orange heart
💔 broken heart
✨ sparkles new
🔥 fire hot
🎉 party celebration congratulations
🎁 gift present
⭐ star favorite
✅ check done yes
❌ cross no wrong
❗ exclamation important
❓ question
⚠️ warning attention
💯 hundred perfect
⏰ alarm clock time
📌 pin pushpin
📍 place location pin
📞 phone call receiver
📧 e-mail letter
💬 speech bubble chat message
🔗 link chain`,
  Things: `📦 package parcel box order
🚚 truck delivery shipping
✈️ airplane flight travel
🏠 house home
🏬 store shop building
🛒 cart shopping
💳 card credit payment
💰 money bag price
🧾 receipt invoice bill
📄 document page file
📷 camera photo
🎥 film camera video
🔑 key
🔧 wrench tool repair
💻 laptop computer
📱 mobile phone
☕ coffee
🍕 pizza food
🎂 cake birthday
🌟 glowing star
☀️ sun weather
🌧️ rain cloud weather
🌈 rainbow
🐶 dog pet`,
}

const ALL: readonly { kind: string; list: Emoji[] }[] = Object.entries(KINDS).map(([kind, lines]) => ({
  kind,
  list: lines.split('\n').map((line) => {
    const [emoji = '', ...words] = line.split(' ')
    return { emoji, words: words.join(' ') }
  }),
}))

/** The emoji of each kind that have a word which begins with each word of the query, or whose kind does. */
export function emojiFor(query: string) {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (text: string) => {
    const words = text.toLowerCase().split(/[\s-]/)
    return parts.every((one) => words.some((word) => word.startsWith(one)))
  }
  return ALL.map(({ kind, list }) => ({ kind, list: list.filter(({ words }) => fits(`${words} ${kind}`)) })).filter(
    ({ list }) => list.length > 0,
  )
}
