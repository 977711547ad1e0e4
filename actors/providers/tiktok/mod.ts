/** TikTok's Business Messaging: text and pictures to people who wrote first. */
export { TikTok } from './provider.ts'
