import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Starts DynamoDB Local on loopback only; by itself it listens on every address and knows no option for that. */
class OnLoopback {
    public static void main(String[] arguments) throws Exception {
        var proxy = ServerRunner.createServerFromCommandLineArgs(arguments);
        var field = proxy.getClass().getDeclaredField("server");
        field.setAccessible(true);
        for (var connector : ((Server) field.get(proxy)).getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        proxy.start();
        proxy.join();
    }
}
