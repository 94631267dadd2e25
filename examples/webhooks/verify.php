<?php
// Whether a delivery is genuine. Copy is_genuine; the rest tries it on a body from standard input. PHP 8, nothing else.
//   WEBHOOK_SECRET=whsec_… php examples/webhooks/verify.php "$X_WEBHOOK_SIGNATURE" < body

const TOLERANCE_SECONDS = 300;

/** $raw_body is what came (php://input), before anything parses it. A header may hold several v1: one that fits is enough. */
function is_genuine(string $header, string $raw_body, string $secret): bool
{
    $named = ['t' => [], 'v1' => []];
    foreach (explode(',', $header) as $element) {
        [$name, $value] = explode('=', trim($element), 2) + [1 => ''];
        if (isset($named[$name])) {
            $named[$name][] = $value;
        }
    }
    $timestamp = $named['t'][0] ?? '';
    if (count($named['t']) !== 1 || !preg_match('/^[0-9]{1,15}\z/', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = hash_hmac('sha256', $timestamp . '.' . $raw_body, $secret);
    $genuine = false;
    foreach ($named['v1'] as $signature) {
        // Every one is compared, whole: the time that it takes tells nothing.
        if (hash_equals($expected, strtolower($signature))) {
            $genuine = true;
        }
    }
    return $genuine;
}

$genuine = is_genuine($argv[1] ?? '', file_get_contents('php://stdin'), getenv('WEBHOOK_SECRET') ?: '');
echo $genuine ? "genuine\n" : "refused\n";
exit($genuine ? 0 : 1);
