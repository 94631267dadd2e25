<?php
// Verifies the signature of a delivery. Copy signature_problem; the rest tries it on a body from standard input. Needs only PHP 8.
//   WEBHOOK_SECRET=whsec_… php examples/webhooks/verify.php "$X_WEBHOOK_SIGNATURE" < body

const TOLERANCE_SECONDS = 300;

/**
 * Null when the delivery is genuine, else why it is not. Never throws. $raw_body is php://input before anything parses it. A header may
 * have several v1; one that fits is enough. With "wrong time" the signature fits: the delivery is old, or a clock is wrong.
 */
function signature_problem(?string $header, string $raw_body, string $secret): ?string
{
    if ($secret === '') {
        return 'no secret: set WEBHOOK_SECRET';
    }
    $named = ['t' => [], 'v1' => []];
    foreach (explode(',', $header ?? '') as $element) {
        [$name, $value] = explode('=', trim($element), 2) + [1 => ''];
        if (isset($named[$name])) {
            $named[$name][] = $value;
        }
    }
    $timestamp = implode(',', $named['t']);
    if (!preg_match('/^[0-9]{1,15}\z/', $timestamp)) {
        return 'wrong signature';
    }
    $expected = hash_hmac('sha256', $timestamp . '.' . $raw_body, $secret);
    $genuine = false;
    foreach ($named['v1'] as $signature) {
        // Each one is compared as a whole, so the time that it takes reveals nothing.
        $genuine = hash_equals($expected, strtolower($signature)) || $genuine;
    }
    if (!$genuine) {
        return 'wrong signature';
    }
    return abs(time() - (int) $timestamp) > TOLERANCE_SECONDS ? 'wrong time' : null;
}

$problem = signature_problem($argv[1] ?? null, file_get_contents('php://stdin'), getenv('WEBHOOK_SECRET') ?: '');
echo $problem ?? 'genuine', "\n";
exit($problem === null ? 0 : 1);
