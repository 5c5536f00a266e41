import { Agent, RetryAgent, request } from 'undici'
import { expectPets, headers, spendLimit, url } from './store.js'

await spendLimit()
const { body } = await request(url, { headers, dispatcher: new RetryAgent(new Agent()) })
expectPets(await body.json())
