/** `/registration` and `/reset-password` (docs/interface/security.md 7). Whether an address is known is in no answer. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { SchemaError, type ErrorToken } from '../../../schema/index.js';
import { AccessError, markPrivate } from '../../../security/index.js';
import { SMALL_BODY } from '../../request/body.js';
import type { Resolver, RestRequest } from '../../context.js';
import { sendNone } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';

export const resolveRegistration: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'registration') return undefined;
  return {
    signature: '_registration',
    allow: ['OPTIONS', 'POST'],
    bodyLimit: SMALL_BODY,
    verbs: { POST: (request) => register(request) },
  };
};

export const resolveResetPassword: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'reset-password') return undefined;
  return {
    signature: '_resetPassword',
    allow: ['OPTIONS', 'POST'],
    bodyLimit: SMALL_BODY,
    verbs: { POST: (request) => resetPassword(request) },
  };
};

/** Registers somebody with the values of the body, or with others. */
export async function register(request: RestRequest, input = inputOf(request)): Promise<void> {
  countAttempt(request);
  try {
    await request.services.security.registration.register(input);
  } catch (error) {
    if (error instanceof AccessError && error.status === 422) throw refusal(error.message, []);
    if (error instanceof SchemaError) throw refusal(error.message, error.tokens);
    throw error;
  }
  request.exchange.status = 201;
  await sendNone(request);
}

/** Sends a link that leads to a new password. */
export async function resetPassword(request: RestRequest, input = inputOf(request)): Promise<void> {
  countAttempt(request);
  await request.services.security.registration.requestReset(input);
  await sendNone(request);
}

/** Every request may send a mail to somebody: not at full speed. */
function countAttempt({ exchange, services }: RestRequest): void {
  markPrivate(exchange);
  services.security.loginLimiter.check(exchange.address);
}

/** Clients of this endpoint read the message in a header too. */
function refusal(message: string, tokens: readonly ErrorToken[]): RestError {
  return new RestError(422, message, tokens, { reason: message.replace(/[^ -~]/g, '?') });
}

function inputOf(request: RestRequest): JsonObject {
  return request.body.objects[0] ?? (Object.create(null) as JsonObject);
}
