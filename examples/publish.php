<?php
// Creates a channel unless it exists, writes an alert as a draft, and sends it. Needs PHP 8.1 and nothing else.
//   BELFRY_API_KEY=bfk_… php examples/publish.php HANDLE TITLE

declare(strict_types=1);

const USAGE = "usage: BELFRY_API_KEY=bfk_… php examples/publish.php HANDLE TITLE\n";

/** One call of the API. A refusal ends the program with the message of the service, which names the solution. */
function call(string $method, string $path, ?array $body = null): array
{
    $headers = ['Authorization: Bearer ' . getenv('BELFRY_API_KEY')];
    if ($body !== null) {
        $headers[] = 'Content-Type: application/json';
    }
    if ($method === 'POST') {
        // A call that is repeated with the same key creates nothing twice. Keep the key for a retry.
        $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
    }
    $options = ['method' => $method, 'header' => $headers, 'timeout' => 30, 'ignore_errors' => true];
    if ($body !== null) {
        $options['content'] = json_encode($body, JSON_THROW_ON_ERROR);
    }
    $api = (getenv('BELFRY_URL') ?: 'http://localhost:8787') . '/api/v1';
    $text = file_get_contents($api . $path, false, stream_context_create(['http' => $options]));
    if ($text === false) {
        fail("No server responds at $api.");
    }
    $answer = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    if (isset($answer['error'])) {
        fail("{$answer['error']['type']}: {$answer['error']['message']}");
    }
    return $answer;
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

if ($argc !== 3 || !getenv('BELFRY_API_KEY')) {
    fail(USAGE);
}
[, $handle, $title] = $argv;

$channel = call('GET', '/pushers?handle=' . rawurlencode($handle))['data'][0] ?? null;
if ($channel === null) {
    $channel = call('POST', '/pushers', [
        'handle' => $handle,
        'name' => $handle,
        'category' => 'community',
        'description' => 'Opened by an example',
        'requested_perms' => ['notify', 'sound'],
    ]);
    echo "opened {$channel['id']}\n";
}

$alert = call('POST', "/pushers/{$channel['id']}/alerts", ['title' => $title, 'requires_ack' => true])['id'];
echo "drafted $alert\n";

call('PATCH', "/pushers/{$channel['id']}/alerts/$alert", ['action' => 'send']);
echo "sent $alert\n";
