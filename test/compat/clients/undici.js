import { Agent, RetryAgent, request } from 'undici'
import { expectPets, headers, url, useUpLimit } from './store.js'

await useUpLimit()
const { body } = await request(url, { headers, dispatcher: new RetryAgent(new Agent()) })
expectPets(await body.json())
